import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

/** An object of Kubernetes. */
export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly [field: string]: unknown
}

interface Kustomization {
  readonly apiVersion: string
  readonly kind: string
  readonly resources?: readonly string[]
  readonly namespace?: string
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[]
  readonly patches?: readonly { readonly patch: string }[]
  readonly configMapGenerator?: readonly {
    readonly name: string
    readonly files: readonly string[]
    readonly options: { readonly labels: object; readonly disableNameSuffixHash: true }
  }[]
}

const KNOWN = new Set([
  'apiVersion',
  'kind',
  'resources',
  'namespace',
  'images',
  'patches',
  'configMapGenerator',
])

/**
 * What `kubectl kustomize <folder>` prints, as far as our folders use it: there is no kubectl on the machines of development.
 * @throws Error for what it does not know
 */
export function renderKustomization(folder: string): KubernetesObject[] {
  const given: Kustomization = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'))
  const unknown = Object.keys(given).filter((field) => !KNOWN.has(field))
  if (unknown.length > 0) throw new Error(`${folder}: ${unknown.join(', ')} is not known here`)
  const { resources = [], namespace, images = [], patches = [], configMapGenerator = [] } = given
  const read = resources.flatMap((path) => readResource(join(folder, path)))
  const generated = configMapGenerator.map(({ name, files, options: { labels } }) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels },
    data: Object.fromEntries(files.map((file) => [basename(file), readFileSync(join(folder, file), 'utf8')])),
  }))
  const changes = patches.map(({ patch }) => parse(patch) as KubernetesObject)
  const objects: KubernetesObject[] = [...read, ...generated]
  for (const change of changes)
    if (!objects.some((one) => isSame(one, change))) throw new Error(`${folder}: a patch of nothing`)
  return objects.map((one) => {
    const patched = changes.filter((change) => isSame(one, change)).reduce(merge<KubernetesObject>, one)
    const placed = namespace === undefined ? patched : merge(patched, { metadata: { namespace } })
    return JSON.parse(
      images.reduce(
        (text, { name, newName, newTag }) =>
          text.replaceAll(new RegExp(`"image":"${name}:[^"]*"`, 'gu'), `"image":"${newName}:${newTag}"`),
        JSON.stringify(placed),
      ),
    )
  })
}

function readResource(path: string): KubernetesObject[] {
  if (statSync(path).isDirectory()) return renderKustomization(path)
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join(', ')}`)
    return document.toJS()
  })
}

const isSame = (one: KubernetesObject, other: KubernetesObject) =>
  one.kind === other.kind && one.metadata.name === other.metadata.name

/** A strategic merge without lists, which need their keys. */
function merge<Into extends object>(one: Into, change: object): Into {
  const merged: Record<string, unknown> = Object.fromEntries(Object.entries(one))
  for (const [field, value] of Object.entries(change)) {
    if (Array.isArray(value)) throw new Error(`a patch of the list ${field} is not known here`)
    const before = merged[field]
    merged[field] =
      typeof value === 'object' && typeof before === 'object' ? merge(before ?? {}, value) : value
  }
  return merged as Into
}
