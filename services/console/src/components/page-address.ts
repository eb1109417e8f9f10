/** The address of another page, in the same project. @param path `/console/journal` */
export function pageAddress(path: string, params: Readonly<Record<string, string | null>> = {}): string {
  const project = new URLSearchParams(location.search).get('project')
  const search = new URLSearchParams(
    Object.entries({ project, ...params }).filter((one): one is [string, string] => one[1] !== null),
  ).toString()
  return path + (search === '' ? '' : `?${search}`)
}
