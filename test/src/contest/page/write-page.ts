import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rawTable } from '../../eval/report/html-table.ts'
import { plotBars } from '../../eval/report/plot-bars.ts'
import { STYLE } from '../../eval/report/style.ts'
import { escaped } from '../../eval/report/svg.ts'
import type { Results } from '../results.ts'
import { plotPoints } from './plot-points.ts'
import { meanRecall, type PageTable, qualityOf, tablesOf } from './tables.ts'
import { verdict } from './verdict.ts'

/** Writes `contest.md`, `contest.html` and the raw results, `contest.json`. @returns their paths */
export function writePage(folder: string, results: Results): string[] {
  mkdirSync(folder, { recursive: true })
  const files = {
    'contest.md': markdownPage(results),
    'contest.html': htmlPage(results),
    'contest.json': `${JSON.stringify(results, null, 1)}\n`,
  }
  return Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  })
}

const TITLE = 'A contest of memory systems'

/** When and where it was run, a line each. */
function facts({ at, minutes, options, commit, machine, collections }: Results): string[] {
  const { processor, cores, memoryGb, system, node, load } = machine
  return [
    `${at.slice(0, 16).replace('T', ' ')} UTC, ${minutes} minutes, \`npm run contest -- ${options.join(' ')}\`, commit ${commit ?? 'unknown'}.`,
    `${cores} cores of ${processor}, ${memoryGb} GB, ${system}, Node.js ${node}; load ${load.join(' when it began, ')} when it ended${Math.max(...load) > cores ? ': others used the machine, so compare times within this page only, and roughly' : ''}.`,
    `${collections.map(({ name, memories, questions, neverTold }) => `${name}: ${memories} memories, ${questions} questions${neverTold > 0 ? `, ${neverTold} never told` : ''}`).join('. ')}.`,
  ]
}

const NOT_MEASURED =
  'Not here: Daybook with Typesense, because no Typesense server can be had on this machine and its double is none; power cuts and full disks of the peers (`npm run test:power` is for Daybook alone, which has a test of a full disk too, `services/gateway`); systems that need a language model to store or find, which would be measured with it.'

/** The page in Markdown. */
export function markdownPage(results: Results): string {
  const table = ({ title, note, head, rows, best = {} }: PageTable) => {
    const marked = rows.map((row) =>
      row.map((cell, column) => (isBest(rows, column, cell, best[column]) ? `**${cell}**` : linked(cell))),
    )
    const line = (cells: readonly string[]) =>
      `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
    const align = head.map((_, column) =>
      column > 0 && /^[\d.–*]/u.test(marked[0]?.[column] ?? '') ? '---:' : '---',
    )
    return [`## ${title}`, note, [line(head), line(align), ...marked.map(line)].join('\n')].join('\n\n')
  }
  return `${[
    `# ${TITLE}`,
    'Made by `npm run contest` ([how](testing.md#a-contest-of-memory-systems)); the same with plots is [contest.html](contest.html). In bold: the best of a column.',
    facts(results).join('\n'),
    `Goals:\n\n${verdict(results)
      .map((line) => `- ${line}`)
      .join('\n')}`,
    NOT_MEASURED,
    ...tablesOf(results).map(table),
  ].join('\n\n')}\n`
}

const linked = (cell: string) => (/^https:\/\/\S+$/u.test(cell) ? `[${new URL(cell).host}](${cell})` : cell)

/** The page in HTML, with plots. It loads nothing. */
export function htmlPage(results: Results): string {
  const { peers, collections } = results
  const last = peers[0]?.scales.length ?? 0
  const size = peers[0]?.scales.at(-1)?.memories.toLocaleString('en') ?? ''
  const points = peers.map((peer) => ({
    name: peer.name,
    x: peer.scales[last - 1]?.search.p50 ?? 0,
    y: meanRecall(peer),
  }))
  const series = collections
    .slice(0, 6)
    .map(({ name }) => ({ name, values: peers.map((peer) => qualityOf(peer, name)?.all.recall[1] ?? 0) }))
  const emphasised = (text: string) =>
    escaped(text)
      .replaceAll(/\*\*(.+?)\*\*/gu, '<strong>$1</strong>')
      .replaceAll(/`(.+?)`/gu, '<code>$1</code>')
  const cell = (text: string) =>
    /^https:\/\/\S+$/u.test(text)
      ? `<a href="${escaped(text)}">${escaped(new URL(text).host)}</a>`
      : emphasised(text)
  const table = ({ title, note, head, rows, best = {} }: PageTable) =>
    `<h2>${emphasised(title)}</h2><p class="facts">${emphasised(note)}</p>${rawTable(
      head,
      rows.map((row) =>
        row.map((text, column) =>
          isBest(rows, column, text, best[column]) ? `<strong>${cell(text)}</strong>` : cell(text),
        ),
      ),
    )}`
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${TITLE}</title><style>${STYLE}</style></head>
<body>
<h1>${TITLE}</h1>
${facts(results)
  .map((line) => `<p class="facts">${emphasised(line)}</p>`)
  .join('\n')}
<ul>${verdict(results)
    .map((line) => `<li>${emphasised(line)}</li>`)
    .join('')}</ul>
${last === 0 ? '' : `<h2>What it finds, and how long a search takes at ${size} memories</h2>${plotPoints(`recall@10 over all collections by p50 of a search at ${size}`, points, { x: 'ms (p50)', y: 'recall@10, mean' })}`}
<h2>Recall@10 by collection</h2>${plotBars(
    'recall@10 by collection',
    peers.map(({ name }) => name),
    series,
  )}
<p class="facts">${emphasised(NOT_MEASURED)}</p>
${tablesOf(results).map(table).join('\n')}
</body>
</html>
`
}

/** Whether a cell is the best of its column; of `p50 / p95` the first counts. */
function isBest(
  rows: PageTable['rows'],
  column: number,
  cell: string,
  best: 'high' | 'low' | undefined,
): boolean {
  if (best === undefined) return false
  const value = numberOf(cell)
  const values = rows.map((row) => numberOf(row[column] ?? '')).filter((one) => !Number.isNaN(one))
  return value === (best === 'high' ? Math.max(...values) : Math.min(...values))
}

const numberOf = (cell: string) => Number.parseFloat(cell.replaceAll(',', ''))
