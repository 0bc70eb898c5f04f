// Everything users may include.
#pragma once

#include "wgp/chart.h"
#include "wgp/distribution.h"
#include "wgp/evaluate.h"
#include "wgp/io.h"
#include "wgp/kernel.h"
#include "wgp/latent.h"
#include "wgp/latent_metric.h"
#include "wgp/manifold.h"
#include "wgp/model.h"
#include "wgp/model_file.h"
#include "wgp/optimise.h"
#include "wgp/statistics.h"
#include "wgp/testing.h"
