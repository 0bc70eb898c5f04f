// Everything users may include.
#pragma once

#include "wgp/chart.h"
#include "wgp/distribution.h"
#include "wgp/io.h"
#include "wgp/manifold.h"
#include "wgp/statistics.h"
#include "wgp/testing.h"
