import { integer, nat, oneof } from 'fast-check'

/**
 * Any character, as `string({ unit })` takes it; no halves of surrogate pairs. fast-check's own unit for this, `binary`, first makes a table of
 * a million entries, in each process: 1.5 s of CPU time.
 */
export const anyCharacter = oneof(nat(0xd7_ff), integer({ min: 0xe0_00, max: 0x10_ff_ff })).map((code) =>
  String.fromCodePoint(code),
)
