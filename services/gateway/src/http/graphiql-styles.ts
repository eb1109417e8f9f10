/**
 * Runs first in the page. GraphiQL's editor (Monaco) makes style elements while it runs, and places its lines by
 * style attributes in texts of HTML. A Content-Security-Policy without 'unsafe-inline' blocks both: in Chromium 147
 * all lines of the editor lay upon each other. So this gives the page's nonce to style elements that scripts make,
 * and sets such attributes through `element.style`, which the policy allows. Styles and scripts in HTML that
 * anybody else gets into the page stay blocked.
 *
 * In a text that was escaped for HTML, `<` begins an element, and so nothing that a user wrote is changed.
 */
export const STYLE_WITHOUT_INLINE = `
  const { nonce } = document.currentScript;
  const { createElement } = Document.prototype;
  Document.prototype.createElement = function (name, options) {
    const element = createElement.call(this, name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };

  const setAside = (html) => String(html).replace(/(<[a-z][^<>]*?\\s)style=/gi, '$1data-style=');
  const putBack = (root) => {
    for (const element of root.querySelectorAll('[data-style]')) {
      element.style.cssText = element.getAttribute('data-style');
      element.removeAttribute('data-style');
    }
  };
  const { insertAdjacentHTML, setAttribute } = Element.prototype;
  const inner = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...inner,
    set(html) {
      inner.set.call(this, setAside(html));
      putBack(this);
    },
  });
  Element.prototype.insertAdjacentHTML = function (place, html) {
    insertAdjacentHTML.call(this, place, setAside(html));
    putBack(this.parentNode ?? this);
  };
  Element.prototype.setAttribute = function (name, value) {
    if (name === 'style') this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
`
