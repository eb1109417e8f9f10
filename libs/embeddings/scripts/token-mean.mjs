// Makes libs/embeddings/src/minilm/token-mean.ts: the mean of MiniLM's token states over public text, the
// paragraphs of the installed npm packages' README files. Run it again only for another model or other
// weights, and then raise the version in token-bits.ts: `node --import tsx libs/embeddings/scripts/token-mean.mjs`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { AutoModel, AutoTokenizer, env } from '@huggingface/transformers'
import { REPOSITORY } from '../../../scripts/repository.mjs'
import { prepareMiniLm } from '../src/minilm/prepare.ts'

/** Enough: the mean of every second paragraph has a cosine of .991 to that of the others. */
const PARAGRAPHS = 4_000
/** Of one package, so that none decides. */
const OF_A_PACKAGE = 10

const modules = join(REPOSITORY, 'node_modules')
const packages = readdirSync(modules).flatMap((name) =>
  name.startsWith('@') ? readdirSync(join(modules, name)).map((own) => join(name, own)) : [name],
)
const paragraphs = packages
  .map((name) => join(modules, name, 'README.md'))
  .filter((file) => existsSync(file))
  .toSorted()
  .flatMap((file) =>
    readFileSync(file, 'utf8')
      .replaceAll(/```[^]*?```/gu, '')
      .split(/\n\s*\n/u)
      .map((paragraph) => paragraph.replaceAll(/\s+/gu, ' ').trim())
      // Prose: sentences, not tables, badges or headings.
      .filter((paragraph) => /^[A-Z][^|<>[\]{}]{60,600}[.:]$/u.test(paragraph))
      .slice(0, OF_A_PACKAGE),
  )
  .slice(0, PARAGRAPHS)

const cacheDir = join(homedir(), '.cache', 'daybook', 'models')
const { modelPath } = await prepareMiniLm({ cacheDir, onProgress: console.log })
env.allowRemoteModels = false
env.localModelPath = dirname(modelPath)
const tokenizer = await AutoTokenizer.from_pretrained(basename(modelPath))
const model = await AutoModel.from_pretrained(basename(modelPath), { dtype: 'fp32', device: 'cpu' })

const sums = [[], []]
const counts = [0, 0]
for (const [index, paragraph] of paragraphs.entries()) {
  const { last_hidden_state: states } = await model(
    tokenizer(paragraph, { truncation: true, max_length: 256 }),
  )
  const [, places, dimension] = states.dims
  const half = index % 2
  // Without [CLS] and [SEP].
  for (let place = 1; place < places - 1; place += 1) {
    counts[half] += 1
    for (let i = 0; i < dimension; i += 1)
      sums[half][i] = (sums[half][i] ?? 0) + states.data[place * dimension + i]
  }
  states.dispose()
  if (index % 500 === 499) console.log(`${index + 1} of ${paragraphs.length} paragraphs`)
}

const [one, other] = sums.map((sum, half) => sum.map((value) => value / counts[half]))
const dot = (a, b) => a.reduce((total, value, i) => total + value * b[i], 0)
console.log(`${paragraphs.length} paragraphs, ${counts[0] + counts[1]} tokens`)
console.log(
  `cosine of the two halves' means: ${(dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))).toFixed(5)}`,
)

const mean = one.map((value, i) => (value * counts[0] + other[i] * counts[1]) / (counts[0] + counts[1]))
const lines = Array.from({ length: Math.ceil(mean.length / 12) }, (_, line) =>
  mean
    .slice(line * 12, line * 12 + 12)
    .map((value) => Number(value.toFixed(3)))
    .join(', '),
)
writeFileSync(
  join(REPOSITORY, 'libs/embeddings/src/minilm/token-mean.ts'),
  `import type { PreparedModel } from './prepare.ts'

/**
 * The mean of all-MiniLM-L6-v2's token states over public text, made by \`scripts/token-mean.mjs\`. A part of
 * what the version in \`token-bits.ts\` stands for.
 */
// biome-ignore format: many numbers
const MINILM = Float32Array.of(
  ${lines.join(',\n  ')},
)

/** The mean of a model's token states; null if it is not known, as of a model from a folder. */
export const tokenMeanOf = ({ source }: PreparedModel): Float32Array | null =>
  source === 'folder' ? null : MINILM
`,
)
