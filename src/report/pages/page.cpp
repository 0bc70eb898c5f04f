#include "report/pages/page.h"

#include "core/format.h"

namespace wgp::report {
namespace {

constexpr const char* style_sheet = R"(
:root { color-scheme: light }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; color: #1d2126;
  background: #fff; max-width: 56rem; margin: 2.5rem auto; padding: 0 1.25rem }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .4rem; overflow-wrap: anywhere }
h2 { font-size: 1.2rem; margin: 2.6rem 0 .6rem; padding-top: .9rem; border-top: 1px solid #d9dee3 }
.summary { font-size: 1.08rem; margin: 0 0 1rem }
nav ul { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .92rem }
a { color: #005a8d }
figure { margin: 0 }
figure svg { display: block; max-width: 100%; height: auto }
figcaption { margin-top: .5rem; color: #444b53; font-size: .92rem; max-width: 46rem }
table { border-collapse: collapse; margin-top: .8rem; font-size: .92rem; min-width: min(100%, 34rem) }
caption { text-align: left; color: #444b53; padding-bottom: .3rem }
th { text-align: left; font-weight: 600 }
th, td { padding: .22rem 1.6rem .22rem 0; border-top: 1px solid #e4e7ea; vertical-align: top; overflow-wrap: anywhere }
td { font-variant-numeric: tabular-nums }
table.wide { font-size: .85rem }
.wide th, .wide td { padding-right: .9rem; overflow-wrap: normal }
.wide td { white-space: nowrap }
tbody th { font-weight: 400; color: #444b53; min-width: 9rem }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid #d9dee3; color: #5b646d; font-size: .85rem }
@media print { body { margin: 0; max-width: none; font-size: 11pt } nav { display: none }
  h2 { break-after: avoid } figure, tr { break-inside: avoid } }
)";

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

}  // namespace

std::string html(const Page& page) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n"
      "<p class=\"summary\">{2}</p>\n<nav aria-label=\"Sections\"><ul>\n",
      escape_xml(page.title), style_sheet, escape_xml(page.summary));
  for (const Section& section : page.sections)
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, escape_xml(section.title));
  text += "</ul></nav>\n</header>\n<main>\n";
  for (const Section& section : page.sections) {
    text += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", section.id, escape_xml(section.title));
    if (!section.words.empty()) text += fmt::format("<p>{}</p>\n", escape_xml(section.words));
    if (section.figure)
      text += fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", section.figure->svg.element(),
                          escape_xml(section.figure->caption));
    if (section.table) text += html(*section.table);
    text += "</section>\n";
  }
  return text + fmt::format("</main>\n<footer>{}</footer>\n</body>\n</html>\n", escape_xml(page.foot));
}

}  // namespace wgp::report
