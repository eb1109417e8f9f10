const row = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

/**
 * A table in Markdown.
 * @param {string[]} head
 * @param {string[][]} rows
 */
export const table = (head, rows) => [head, head.map(() => '---'), ...rows].map(row).join('\n')
