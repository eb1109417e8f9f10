/** The report's style sheet, light and dark. It loads nothing from elsewhere. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1d2330; --soft: #667085; --line: #e3e6ec; --paper: #fff;
  --series-0: #2f6fdb; --series-1: #e07b28; --series-2: #2a9d6f; --series-3: #b0409c; --series-4: #8a6d3b; --series-5: #5b6b7c;
  --good: #1a7f4b; --bad: #c0342b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #313846; --paper: #161a22;
  --series-0: #6ba1f5; --series-1: #f0a35e; --series-2: #5cc79b; --series-3: #d77fc8; --series-4: #c9ab74; --series-5: #9fb0c2;
  --good: #5cc79b; --bad: #f08077; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1000px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p.facts { color: var(--soft); margin-top: 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0; width: 100%; }
th, td { text-align: right; padding: .2rem .6rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } td.text, th.text { text-align: left; }
thead th { color: var(--soft); font-weight: 600; } tr.all td { font-weight: 600; }
.rose { color: var(--good); } .fell { color: var(--bad); }
svg { display: block; width: 100%; height: auto; margin: .4rem 0 1rem; }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg text.axis, svg text.value { fill: var(--soft); font-size: 11px; } svg line.grid { stroke: var(--line); }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--soft); }
`
