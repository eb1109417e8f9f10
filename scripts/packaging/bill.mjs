// The bill of materials of the npm package, which holds fewer packages than the repository needs to run.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '../repository.mjs'

/**
 * Takes from the repository's bill what is in the package, or installed with it.
 * @param {object} bill of the repository, as `npm sbom` writes it
 * @param {string[]} folders of the packages, relative to the repository
 * @param {object[]} platforms the manifests of the packages of ONNX Runtime
 * @throws Error if the bill lacks one of them
 */
export function billOf(bill, folders, platforms) {
  const components = new Map()
  for (const folder of folders) {
    const { name, version } = JSON.parse(readFileSync(join(REPOSITORY, folder, 'package.json'), 'utf8'))
    const found = bill.components.find((one) => fullName(one) === name && one.version === version)
    if (found === undefined) throw new Error(`The bill of the repository lacks ${name} ${version}`)
    components.set(found['bom-ref'], found)
  }
  for (const { name, version, license, description } of platforms) {
    const ref = `${name}@${version}`
    const component = { 'bom-ref': ref, type: 'library', name, version, scope: 'optional', description }
    components.set(ref, { ...component, purl: `pkg:npm/${ref}`, licenses: [{ license: { id: license } }] })
  }
  const root = bill.metadata.component['bom-ref']
  const between = bill.dependencies.filter(({ ref }) => components.has(ref))
  return {
    ...bill,
    components: [...components.values()],
    dependencies: [
      { ref: root, dependsOn: [...components.keys()] },
      ...between.map(({ ref, dependsOn = [] }) => ({
        ref,
        dependsOn: dependsOn.filter((one) => components.has(one)),
      })),
    ],
  }
}

/** npm writes a scope into the name, or beside it. */
const fullName = ({ group, name }) => (group === undefined ? name : `${group}/${name}`)
