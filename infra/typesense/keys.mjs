// Makes a key of Typesense for each kind of service, with the rights that its work needs, so that a gateway cannot change
// the index and nobody but the operator can make keys. Run it once, with the server's own key:
//
//   TYPESENSE_URL=… TYPESENSE_API_KEY=<the server's own> \
//   TYPESENSE_GATEWAY_KEY=<new> TYPESENSE_PROJECTOR_KEY=<new> node infra/typesense/keys.mjs
//
// Then give the gateways TYPESENSE_GATEWAY_KEY as their TYPESENSE_API_KEY, and projector-typesense and reindex
// TYPESENSE_PROJECTOR_KEY. It changes nothing where the keys are there already. Needs nothing but Node.js.

/** Of all that Daybook makes: `daybook_1`, `daybook_2`, …, and the alias `daybook`. */
const COLLECTIONS = ['daybook', 'daybook_.*']

const KEYS = [
  {
    setting: 'TYPESENSE_GATEWAY_KEY',
    description: 'Daybook gateways: search, and the facts that `daybook doctor` shows',
    actions: ['documents:search', 'collections:get', 'aliases:get', 'debug:list'],
  },
  {
    setting: 'TYPESENSE_PROJECTOR_KEY',
    description: 'Daybook projectors and reindex: the collections of the index, and the alias',
    actions: ['collections:*', 'documents:*', 'aliases:*'],
  },
]

function required(name) {
  const value = process.env[name]
  if (value) return value
  console.error(`${name} is not set: see the head of infra/typesense/keys.mjs`)
  process.exit(2)
}

const url = new URL('keys', `${required('TYPESENSE_URL').replace(/\/$/u, '')}/`)
const ownKey = required('TYPESENSE_API_KEY')
const wanted = KEYS.map(({ setting, ...key }) => ({ setting, key: { ...key, value: required(setting) } }))
for (const { setting, key } of wanted) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'x-typesense-api-key': ownKey, 'content-type': 'application/json' },
    body: JSON.stringify({ ...key, collections: COLLECTIONS }),
  })
  if (response.ok) console.log(`${setting}: made, for ${key.actions.join(', ')}`)
  // What the server says of a value that is a key already.
  else if (response.status === 409) console.log(`${setting}: is there already`)
  else {
    console.error(`${setting}: Typesense refused it (${response.status}): ${await response.text()}`)
    process.exit(1)
  }
}
