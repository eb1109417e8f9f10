import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '../repository.mjs'

/**
 * Writes the part of a page that stands between two marks.
 * @param {{ page: string, begin: string, end: string, text: string }} part `page` relative to the repository
 * @param {boolean} isCheck whether to only say if the page has it so
 * @returns {boolean} whether the page is up to date now
 */
export function updatePage({ page, begin, end, text }, isCheck) {
  const file = join(REPOSITORY, page)
  const before = readFileSync(file, 'utf8')
  const [from, to] = [before.indexOf(begin), before.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has lost its markers:\n${begin}\n${end}`)
  const after = `${before.slice(0, from)}${begin}\n\n${text}\n\n${before.slice(to)}`
  if (after === before) console.log(`${page} is up to date`)
  else if (isCheck)
    console.error(`${page} does not say what the code says: run \`npm run docs\` and commit it`)
  else {
    writeFileSync(file, after)
    console.log(`wrote ${file}`)
  }
  return after === before || !isCheck
}
