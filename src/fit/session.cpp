#include "fit/session.h"

#include <exception>

#include "wgp/progress.h"

namespace wgp {
namespace {

// Only fits whose latents are integrated out have sums to share.
RankExchange* exchange_of(const FitOptions& options, std::optional<RankExchange>& ranks) {
  if (!options.ranks || options.ranks->count() < 2 || !integrates_latents(options)) return nullptr;
  return &ranks.emplace(*options.ranks);
}

}  // namespace

FitSession::FitSession(const FitOptions& fit_options, EvidenceFactory fit_evidence, std::uint64_t fingerprint)
    : options(fit_options),
      evidence(std::move(fit_evidence)),
      control(fit_options.keep_going, exchange_of(fit_options, ranks)),
      executor(fit_options.threads, ranks ? &*ranks : nullptr),
      log(fit_options, fingerprint) {}

void FitSession::tasks(Executor& with, Index count, const std::function<void(Index i, Executor& inner)>& body) {
  if (with.ranks()) {
    for (const StepLog::Steps& of_rank : ranks->gather_values<StepLog::Steps>([&] {
           std::vector<Index> own;
           for (Index i = ranks->rank(); i < count; i += ranks->count()) own.push_back(i);
           log.begin_recording();
           // What is finished when it is told to end is kept; the rest is for all to leave, below.
           ranks->work_by_itself([&] {
             try {
               with.tasks(static_cast<Index>(own.size()),
                          [&](Index k, Executor& inner) { body(own[static_cast<std::size_t>(k)], inner); });
             } catch (const Stopped&) {
             }
           });
           return log.recorded();
         }))
      log.take(of_rank);
    if (control.stopped()) return look_at_all(count, body);
  }
  with.tasks(count, body);
}

void FitSession::look_at_all(Index count, const std::function<void(Index i, Executor& inner)>& body) {
  Executor alone;
  std::exception_ptr ended;
  for (Index i = 0; i < count; ++i) try {
      body(i, alone);
    } catch (const Stopped&) {
      ended = std::current_exception();
    }
  if (ended) std::rethrow_exception(ended);
}

}  // namespace wgp
