// Written by scripts/page: SHA-256 in base64.
#pragma once

inline constexpr char page_style_sha256[] = "fheRM8+/s5eSk99SeqkmYFbF1OekCT2YusTWXR/FAVc=";
inline constexpr char page_loader_sha256[] = "4iucETqnjGGqNBRgZlLeTwH9JqFOUIUrQXD6iSDwC+Y=";
inline constexpr char page_program_sha256[] = "XRubYeddb7tkfluStJlPrr8u6Nmh9CpiLF3TEXExrTA=";
