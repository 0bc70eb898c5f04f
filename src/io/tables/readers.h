// The readers that the registry of formats chooses from, and how their files are recognised. A head is the beginning of
// the file.
#pragma once

#include <memory>
#include <string_view>

#include "io/bytes/byte_source.h"
#include "wgp/io.h"

namespace wgp {

std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteSource> source, const TableOptions& options);
std::unique_ptr<TableReader> open_npy(std::unique_ptr<ByteSource> source, const TableOptions& options);
std::unique_ptr<TableReader> open_npz(std::unique_ptr<ByteSource> source, const TableOptions& options);
std::unique_ptr<TableReader> open_tps(std::unique_ptr<ByteSource> source, const TableOptions& options);
std::unique_ptr<TableReader> open_nts(std::unique_ptr<ByteSource> source, const TableOptions& options);
std::unique_ptr<TableReader> open_morphologika(std::unique_ptr<ByteSource> source, const TableOptions& options);
std::unique_ptr<TableReader> open_mrk_json(std::unique_ptr<ByteSource> source, const TableOptions& options);
std::unique_ptr<TableReader> open_fcsv(std::unique_ptr<ByteSource> source, const TableOptions& options);
std::unique_ptr<TableReader> open_mat(std::unique_ptr<ByteSource> source, const TableOptions& options);

bool is_npy(std::string_view head);
bool is_mat(std::string_view head);
bool is_npz(std::string_view head);
bool is_tps(std::string_view head);
bool is_nts(std::string_view head);
bool is_morphologika(std::string_view head);
bool is_mrk_json(std::string_view head);
bool is_fcsv(std::string_view head);

}  // namespace wgp
