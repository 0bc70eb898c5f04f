// Written by scripts/page: SHA-256 in base64.
#pragma once

inline constexpr char page_style_sha256[] = "fheRM8+/s5eSk99SeqkmYFbF1OekCT2YusTWXR/FAVc=";
inline constexpr char page_loader_sha256[] = "VPgQz6OKoTvpb4FTnIyR2ERJRXZT1Xjl0b1Dt8tPwiM=";
inline constexpr char page_program_sha256[] = "qY7HwohLTKwKETIpGXoAZ9gcjayv/aHDJfnIkwhNEOA=";
