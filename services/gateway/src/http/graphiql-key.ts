/*
 * GraphiQL is the same page for everybody and needs no key, but its requests do. The key is kept in the tab's
 * session storage: it disappears with the tab, and neither other sites nor later users of the browser find
 * it.
 */

/**
 * Runs in the page before GraphiQL. The address's fragment, which browsers do not send to servers, may hold a
 * code that works once; it is exchanged for the API key, which this tab keeps and adds to requests that have no
 * key. Requests wait for that, because GraphiQL asks for the schema when it starts.
 */
export const TAKE_KEY = `
  const send = window.fetch;
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code) history.replaceState(null, '', location.pathname + location.search);
  const exchange = async () => {
    const answer = await send('/graphql/key', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }),
    });
    const { key, errors } = await answer.json();
    if (!key) return errors[0].message;
    sessionStorage.setItem('daybook-key', key);
  };
  window.daybookKeyProblem = code
    ? exchange().catch(() => 'Daybook did not answer: paste the key')
    : Promise.resolve();
  window.fetch = async (target, options = {}) => {
    await window.daybookKeyProblem;
    const key = sessionStorage.getItem('daybook-key');
    const headers = new Headers(options.headers);
    const own = new URL(target.url ?? target, location.href).origin === location.origin;
    if (key && own && !headers.has('authorization')) headers.set('authorization', 'Bearer ' + key);
    return send(target, { ...options, headers });
  };
`

/**
 * Handles the form: keeps the pasted key and reloads the page, because GraphiQL asks for the schema when it
 * starts.
 */
export const OFFER_KEY = `
  const form = document.getElementById('daybook-key');
  const field = form.elements.key;
  window.daybookKeyProblem.then((problem) => {
    if (problem) field.placeholder = problem;
    else if (sessionStorage.getItem('daybook-key')) {
      field.placeholder = 'A key is set for this tab. Paste another, or leave this empty to forget it.';
      form.elements.use.textContent = 'Change';
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const key = field.value.trim();
    if (key && !/^[!-~]+$/.test(key)) {
      field.setCustomValidity('A key has letters, digits and signs of ASCII only: copy it once more.');
      return field.reportValidity();
    }
    if (key) sessionStorage.setItem('daybook-key', key);
    else sessionStorage.removeItem('daybook-key');
    location.reload();
  });
`

/** GraphiQL fills the window below the form. */
export const KEY_STYLE = `
    body { display: flex; flex-direction: column; height: 100vh; margin: 0 }
    #root { flex: 1; min-height: 0; height: auto !important }
    #daybook-key { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 8px 12px; font: 14px system-ui, sans-serif;
      border-bottom: 1px solid #8884 }
    #daybook-key input { -webkit-text-security: disc; flex: 1; min-width: 16em; padding: 4px 8px; font: inherit }
    #daybook-key button { padding: 4px 12px; font: inherit }
`

/** The form for the key, above GraphiQL. */
export const KEY_FORM = `<form id="daybook-key" method="dialog">
    <label for="daybook-key-field">API key</label>
    <input id="daybook-key-field" name="key" type="text" autocomplete="off" spellcheck="false" placeholder="Paste it here">
    <button name="use" type="submit">Use</button>
    <span>The first start wrote it to <code>&lt;data folder&gt;/api-key</code>, as a rule <code>.daybook/api-key</code>.
      It stays in this tab.</span>
  </form>`
