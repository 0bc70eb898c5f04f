// The processes that a command runs on: one, or those that wgp-mpi has. All of them come by the same functions here in
// the same order.
#pragma once

#include <functional>
#include <string>

#include "core/rank_exchange.h"

namespace wgp::cli {

// Null where there is one process.
Ranks* ranks();
RankExchange* rank_exchange();

// Rank 0 writes and prints; the others work for it.
bool writes();

// Whether something is so on any of them.
bool anywhere(bool here);
// What rank 0 makes, on all of them.
std::string from_first(const std::function<std::string()>& make);
// Where all read the same files: the message of the first that cannot is everybody's.
void together(const std::function<void()>& body);

int threads_by_default();

// From now on; threads: of each, unless --threads says otherwise. Kept by reference.
void run_on(Ranks& ranks, int threads);
void run_on_one();

}  // namespace wgp::cli
