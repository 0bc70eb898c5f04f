#include "model/decoder.h"

namespace wgp {

Prediction Decoder::predict(ConstMatrixRef X) { return model_.predicted(X, table_.predict(X)); }

}  // namespace wgp
