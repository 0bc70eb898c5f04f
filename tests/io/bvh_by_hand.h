// A BVH skeleton for tests: hips with a leg and a shin below it, and a chest.
#pragma once

#include <string>

namespace wgp::test {

inline std::string bvh_skeleton(const std::string& shin_channels, const std::string& chest_channels,
                                const std::string& end_of_chest) {
  return R"(HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT LeftUpLeg
  {
    OFFSET 1.5 -1 0.5
    CHANNELS 3 Yrotation Xrotation Zrotation
    JOINT LeftLeg
    {
      OFFSET 2 -7 1
      CHANNELS )" +
         shin_channels + R"(
      End Site
      {
        OFFSET 0 -3 0
      }
    }
  }
  JOINT Chest
  {
    OFFSET 0 2 0
    CHANNELS )" +
         chest_channels + R"(
    End Site
    {
      OFFSET )" +
         end_of_chest + R"(
    }
  }
}
)";
}

}  // namespace wgp::test
