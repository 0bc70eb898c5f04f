// A sum by halves of halves (core/executor.h) that comes in pieces, from anywhere and in any order: subtrees are put
// together wherever both of their halves are there. Once all terms are in, the bytes are those of Executor::reduce.
#pragma once

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "core/executor.h"
#include "core/format.h"

namespace wgp {

// T: adds to itself what comes after it, and can be packed (core/packing.h).
template <class T>
class TreeSums {
 public:
  TreeSums() = default;
  explicit TreeSums(Index count) : count_(count) {}  // terms in all

  // The terms first .. last - 1, each by make(i).
  template <class Make>
  void make(Index first, Index last, const Make& make_term) {
    const auto add = [](T& into, const T& part) { into.add(part); };
    cover(0, count_, first, last, [&](Index from, Index to) {
      insert({from, to, detail::sum_of_halves<T>(from, to, make_term, add)});
    });
  }

  // Error where terms are in both.
  void add(TreeSums&& others) {
    if (others.count_ != count_)
      throw Error(fmt::format("sums over {} blocks and over {} do not belong together", count_, others.count_));
    for (Node& node : others.nodes_) insert(std::move(node));
  }

  bool is_whole() const { return missing().second == 0; }
  // The first terms that are not there; {0, 0}: all are.
  std::pair<Index, Index> missing() const {
    Index at = 0;
    for (const Node& node : nodes_) {
      if (node.first > at) return {at, node.first};
      at = node.last;
    }
    return at < count_ ? std::pair{at, count_} : std::pair<Index, Index>{0, 0};
  }
  // Of all terms.
  T take_whole() { return std::move(nodes_.front().sum); }

  void each_part(auto&& visitor) { visitor(count_, nodes_); }
  // What was read from bytes may be no such sum.
  void check() const {
    Index before = 0;
    for (const Node& node : nodes_) {
      if (node.first < before || !is_node(node)) throw Error("these bytes are no sums over blocks");
      before = node.last;
    }
  }

 private:
  struct Node {
    Index first = 0, last = 0;
    T sum;
    void each_part(auto&& visitor) { visitor(first, last, sum); }
  };

  static Index middle(Index first, Index last) { return first + (last - first + 1) / 2; }

  // The largest subtrees of [from, to) within [first, last).
  template <class Take>
  static void cover(Index from, Index to, Index first, Index last, const Take& take) {
    if (to <= first || last <= from) return;
    if (first <= from && to <= last) return take(from, to);
    cover(from, middle(from, to), first, last, take);
    cover(middle(from, to), to, first, last, take);
  }

  bool is_node(const Node& node) const {
    bool found = false;
    if (0 <= node.first && node.first < node.last && node.last <= count_)
      cover(0, count_, node.first, node.last,
            [&](Index from, Index to) { found = from == node.first && to == node.last; });
    return found;
  }

  // The subtree that this is a half of; {0, 0}: it is all.
  std::pair<Index, Index> parent_of(Index first, Index last) const {
    Index from = 0, to = count_;
    if (first == from && last == to) return {0, 0};
    for (;;) {
      const Index half = middle(from, to);
      const std::pair<Index, Index> side = first < half ? std::pair{from, half} : std::pair{half, to};
      if (side.first == first && side.second == last) return {from, to};
      std::tie(from, to) = side;
    }
  }

  void insert(Node&& node) {
    auto at = std::lower_bound(nodes_.begin(), nodes_.end(), node.first,
                               [](const Node& one, Index first) { return one.first < first; });
    if ((at != nodes_.end() && at->first < node.last) || (at != nodes_.begin() && std::prev(at)->last > node.first))
      throw Error("the same points are in these sums twice");
    at = nodes_.insert(at, std::move(node));
    for (;;) {
      const auto [from, to] = parent_of(at->first, at->last);
      if (to == 0) return;
      const bool is_left = at->first == from;
      const auto other = is_left ? std::next(at) : at == nodes_.begin() ? nodes_.end() : std::prev(at);
      if (other == nodes_.end() || other->first != (is_left ? at->last : from) ||
          other->last != (is_left ? to : at->first))
        return;
      const auto left = is_left ? at : other, right = is_left ? other : at;
      left->sum.add(right->sum);
      left->last = to;
      at = std::prev(nodes_.erase(right));
    }
  }

  Index count_ = 0;
  std::vector<Node> nodes_;  // in order
};

}  // namespace wgp
