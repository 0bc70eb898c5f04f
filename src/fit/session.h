// What the parts of one fit share.
#pragma once

#include "core/executor.h"
#include "core/run_control.h"
#include "evidence/evidence.h"
#include "fit/checkpoint.h"
#include "wgp/fit.h"

namespace wgp {

struct FitSession {
  FitSession(const FitOptions& fit_options, EvidenceFactory fit_evidence, std::uint64_t fingerprint)
      : options(fit_options),
        evidence(std::move(fit_evidence)),
        control(fit_options.keep_going),
        executor(fit_options.threads),
        log(fit_options, fingerprint) {}

  const FitOptions& options;
  EvidenceFactory evidence;
  RunControl control;
  Executor executor;
  StepLog log;
};

}  // namespace wgp
