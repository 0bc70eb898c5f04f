// What the parts of one fit share.
#pragma once

#include <optional>

#include "core/executor.h"
#include "core/run_control.h"
#include "evidence/evidence.h"
#include "fit/checkpoint.h"
#include "wgp/fit.h"

namespace wgp {

struct FitSession {
  FitSession(const FitOptions& fit_options, EvidenceFactory fit_evidence, std::uint64_t fingerprint);
  FitSession(const FitSession&) = delete;
  FitSession& operator=(const FitSession&) = delete;

  // Tasks whose results are steps of the log, and that do nothing else that lasts. Over ranks each makes its share of
  // the steps, and reads those of the others. with: this session's executor, or one of a task's own.
  void tasks(Executor& with, Index count, const std::function<void(Index i, Executor& inner)>& body);

  // Told to end: whatever any rank has made so far is looked at by all of them, so that all know of the same best.
  static void look_at_all(Index count, const std::function<void(Index i, Executor& inner)>& body);

  const FitOptions& options;
  EvidenceFactory evidence;
  std::optional<RankExchange> ranks;
  RunControl control;
  Executor executor;
  StepLog log;
};

}  // namespace wgp
