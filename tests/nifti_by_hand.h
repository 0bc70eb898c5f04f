// NIfTI-1 images written out by hand, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace wgp::test {

template <class T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

// Little-endian, single file, data at 352.
template <class T>
std::string nifti1(const std::vector<std::int16_t>& dimensions, int datatype, const std::vector<T>& numbers) {
  std::string bytes(352, '\0');
  put(bytes, 0, std::int32_t{348});
  put(bytes, 40, static_cast<std::int16_t>(dimensions.size()));
  for (std::size_t i = 0; i < dimensions.size(); ++i) put(bytes, 42 + 2 * i, dimensions[i]);
  put(bytes, 70, static_cast<std::int16_t>(datatype));
  put(bytes, 72, static_cast<std::int16_t>(8 * sizeof(T)));
  for (std::size_t i = 0; i < 8; ++i) put(bytes, 76 + 4 * i, 1.0f);
  put(bytes, 108, 352.0f);
  std::memcpy(bytes.data() + 344, "n+1", 4);
  const std::size_t start = bytes.size();
  bytes.resize(start + numbers.size() * sizeof(T));
  std::memcpy(bytes.data() + start, numbers.data(), numbers.size() * sizeof(T));
  return bytes;
}

// Three tensors in four voxels (2 x 2 x 1; the second is empty), as xx xy yy xz yz zz; `order` gives where each of the
// file's channels comes from.
inline const std::vector<std::vector<float>> some_tensors = {
    {3, 0.5f, 2, -0.25f, 0.125f, 1}, {}, {1, -0.5f, 4, 0.75f, -0.5f, 2}, {2, 0.25f, 1, 0.5f, -0.125f, 3}};
inline std::vector<float> tensor_channels(const std::vector<std::size_t>& order) {
  std::vector<float> numbers;
  for (const std::size_t entry : order)
    for (const auto& tensor : some_tensors) numbers.push_back(tensor.empty() ? 0 : tensor[entry]);
  return numbers;
}
inline const std::vector<std::size_t> symmatrix_order = {0, 1, 2, 3, 4, 5}, fsl_order = {0, 1, 3, 2, 4, 5},
                                      mrtrix_order = {0, 2, 5, 1, 3, 4};
inline std::string tensor_image(const std::vector<std::size_t>& order) {
  return nifti1<float>({2, 2, 1, 6}, 16, tensor_channels(order));
}

}  // namespace wgp::test
