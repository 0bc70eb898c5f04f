// Written by scripts/page: SHA-256 in base64.
#pragma once

inline constexpr char page_style_sha256[] = "hOyrUKqfRVP/eQ22TL0Mrb6tY9BrlRBu3Y3le3zwMq0=";
inline constexpr char page_loader_sha256[] = "VPgQz6OKoTvpb4FTnIyR2ERJRXZT1Xjl0b1Dt8tPwiM=";
inline constexpr char page_program_sha256[] = "EBsUSLMBVAIlbsZHBRqzLweEPB7gL1ABNhszjQBDI+Y=";
