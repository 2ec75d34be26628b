// What the page at /docs can do more with scripts: search, copy, and know its own address.

const search = document.getElementById('search');
const nothing = document.getElementById('nothing');
const COPIED_MS = 1500;

document.getElementById('origin').textContent = location.origin;
document.getElementById('searching').hidden = false;

function show(word) {
  const wanted = word.trim().toLowerCase();
  let found = 0;
  for (const article of document.querySelectorAll('main article')) {
    const isFound = article.textContent.toLowerCase().includes(wanted);
    article.hidden = !isFound;
    found += Number(isFound);
  }
  for (const link of document.querySelectorAll('nav li')) {
    const id = link.firstElementChild.getAttribute('href').slice(1);
    link.hidden = document.getElementById(id).hidden;
  }
  for (const chapter of document.querySelectorAll('.chapter')) {
    chapter.hidden = chapter.querySelector('article:not([hidden]), li:not([hidden])') === null;
  }
  nothing.hidden = found > 0;
}

async function copy(button, code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'copied';
  } catch {
    // Off loopback a browser may refuse: then it is marked, and the keys do it.
    getSelection().selectAllChildren(code);
    button.textContent = 'marked';
  }
  setTimeout(() => {
    button.textContent = 'copy';
  }, COPIED_MS);
}

for (const pre of document.querySelectorAll('pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'copy';
  button.addEventListener('click', () => copy(button, pre.querySelector('code')));
  pre.append(button);
}

search.addEventListener('input', () => show(search.value));
addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  } else if (event.key === 'Escape' && document.activeElement === search) {
    search.value = '';
    show('');
    search.blur();
  }
});
