#include "report/pages/page.h"

#include "core/format.h"
#include "report/pages/packed.h"
#include "report/pages/page_assets.h"

namespace wgp::report {
namespace {

constexpr std::size_t widest_plain = 5;  // columns; with more of them the cells stand closer and are not broken

std::string html(const Table& table) {
  std::string text = table.header.size() > widest_plain ? "<table class=\"wide\">\n" : "<table>\n";
  if (!table.caption.empty()) text += fmt::format("<caption>{}</caption>\n", escape_xml(table.caption));
  if (!table.header.empty()) {
    text += "<thead><tr>";
    for (const std::string& cell : table.header) text += fmt::format("<th scope=\"col\">{}</th>", escape_xml(cell));
    text += "</tr></thead>\n";
  }
  text += "<tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t j = 0; j < row.size(); ++j)
      text += j == 0 && table.header.empty() ? fmt::format("<th scope=\"row\">{}</th>", escape_xml(row[j]))
                                             : fmt::format("<td>{}</td>", escape_xml(row[j]));
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n";
}

std::string live_elements(const LivePart& live) {
  std::string text = fmt::format("<script type=\"application/json\" id=\"page-data\">{}</script>\n", live.data);
  const auto add = [&](const char* id, std::string_view bytes) {
    text += fmt::format("<script type=\"application/octet-stream\" id=\"{}\">{}</script>\n", id, in_pairs(bytes));
  };
  add("page-model", gzipped(live.model));
  add("page-module", page_module());
  add("page-program", page_program());
  return text + "<script>" + std::string(page_loader()) + "</script>\n";
}

}  // namespace

// Nothing is fetched, nothing runs but what came with the page; one that is served may ask its server.
std::string security_policy(const Page& page) {
  std::string text = fmt::format("default-src 'none'; style-src 'sha256-{}'; img-src data: blob:", page_style_hash());
  if (page.live)
    text +=
        fmt::format("; script-src 'sha256-{}' 'sha256-{}' 'wasm-unsafe-eval'", page_loader_hash(), page_program_hash());
  if (page.live && page.live->served) text += "; connect-src 'self'";
  return text + "; base-uri 'none'; form-action 'none'";
}

std::string html(const Page& page) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{3}\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n"
      "<p class=\"summary\">{2}</p>\n<nav aria-label=\"Sections\"><ul>\n",
      escape_xml(page.title), page_style(), escape_xml(page.summary), security_policy(page));
  for (const Section& section : page.sections)
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, escape_xml(section.title));
  text += "</ul></nav>\n</header>\n<main>\n";
  if (page.live) text += "<div id=\"explorer\"></div>\n";
  for (const Section& section : page.sections) {
    text += fmt::format("<section id=\"{}\"{}>\n<h2>{}</h2>\n", section.id,
                        section.replaced_live ? " class=\"still\"" : "", escape_xml(section.title));
    if (!section.words.empty()) text += fmt::format("<p>{}</p>\n", escape_xml(section.words));
    if (section.figure)
      text += fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", section.figure->svg.element(),
                          escape_xml(section.figure->caption));
    if (section.table) text += html(*section.table);
    text += "</section>\n";
  }
  text += fmt::format("</main>\n<footer>{}</footer>\n", escape_xml(page.foot));
  if (page.live) text += live_elements(*page.live);
  return text + "</body>\n</html>\n";
}

}  // namespace wgp::report
