// The licences of the npm packages whose code is in the bundles: most ask for their text to be passed on.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '../repository.mjs'

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/iu

/**
 * Writes them as one text.
 * @param {string[]} folders of npm packages, relative to the repository
 */
export function licencesOf(folders) {
  const packages = folders.map(readPackage).toSorted((a, b) => a.title.localeCompare(b.title, 'en'))
  const sections = new Map(packages.map((one) => [one.title, one]))
  return [
    '# Licences of the code that is bundled with Daybook',
    ...[...sections.values()].map(({ title, licence, texts }) =>
      [`## ${title}`, `Licence: ${licence}`, ...texts.map((text) => `\`\`\`\n${text}\n\`\`\``)].join('\n\n'),
    ),
    '',
  ].join('\n\n')
}

function readPackage(folder) {
  const at = join(REPOSITORY, folder)
  const { name, version, license, author } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
  const texts = readdirSync(at)
    .filter((file) => LICENCE_FILE.test(file))
    .map((file) => readFileSync(join(at, file), 'utf8').trim())
  const by = typeof author === 'string' ? author : author?.name
  // Some packages name their licence and author only.
  return {
    title: `${name} ${version}`,
    licence: `${license}${by && texts.length === 0 ? `, by ${by}` : ''}`,
    texts,
  }
}
