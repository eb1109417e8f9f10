import { pageAddress } from './page-address.ts'

/** The address of a memory's page, in the same project. @param id with or without its kind */
export const memoryAddress = (id: string): string => pageAddress(`/console/memory/${encodeURIComponent(id)}`)
