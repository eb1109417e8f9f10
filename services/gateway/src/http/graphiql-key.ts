/*
 * GraphiQL is the same page for everybody and needs no key, but its requests do. The key is kept in the tab's
 * session storage: it disappears with the tab, and neither other sites nor later users of the browser find
 * it.
 */

/**
 * Runs in the page before GraphiQL. It takes the API key from the address's fragment, which browsers do not
 * send to servers, keeps it for this tab, and adds it to requests that have no key.
 */
export const TAKE_KEY = `
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given) {
    sessionStorage.setItem('daybook-key', given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  const send = window.fetch;
  window.fetch = (target, options = {}) => {
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
  if (sessionStorage.getItem('daybook-key')) {
    field.placeholder = 'A key is set for this tab. Paste another, or leave this empty to forget it.';
    form.elements.use.textContent = 'Change';
  }
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

/** The form for the key, above GraphiQL, which fills the rest of the window. */
export const KEY_FORM = `
  <style>
    body { display: flex; flex-direction: column; height: 100vh; margin: 0 }
    #root { flex: 1; min-height: 0; height: auto !important }
    #daybook-key { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 8px 12px; font: 14px system-ui, sans-serif;
      border-bottom: 1px solid #8884 }
    #daybook-key input { -webkit-text-security: disc; flex: 1; min-width: 16em; padding: 4px 8px; font: inherit }
    #daybook-key button { padding: 4px 12px; font: inherit }
  </style>
  <form id="daybook-key" method="dialog">
    <label for="daybook-key-field">API key</label>
    <input id="daybook-key-field" name="key" type="text" autocomplete="off" spellcheck="false" placeholder="Paste it here">
    <button name="use" type="submit">Use</button>
    <span>The first start wrote it to <code>&lt;data folder&gt;/api-key</code>, as a rule <code>.daybook/api-key</code>.
      It stays in this tab.</span>
  </form>
`
