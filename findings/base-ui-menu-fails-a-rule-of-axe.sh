#!/usr/bin/env bash
# Base UI 1.9: a menu that is not modal breaks the rule `aria-hidden-focus` of axe; a modal one does not.
#
# Guess: whether a menu is modal changes nothing about the rules that its parts pass.
# Seen (@base-ui/react 1.9.0, axe-core 4.14.1, Chromium 156): around a menu with `modal={false}` stand elements with `tabindex="0"` and
# `aria-hidden="true"`, which take the focus on its way out. axe calls each of them serious. A modal menu (the default) has none of them that
# axe refuses. A page that is tested with every rule has to leave them out of the test, or open its menus as modal ones.
set -euo pipefail
chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$chromium" ]; then echo "skipped: Chromium is not installed"; exit 0; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @base-ui/react@1.9.0 react@19.3.1 react-dom@19.3.1 axe-core@4.14.1 playwright-core@1.65.1 esbuild@0.28.2
node node_modules/esbuild/install.js
cat > page.jsx <<'JS'
import { Menu } from '@base-ui/react/menu';
import { createRoot } from 'react-dom/client';

const isModal = new URLSearchParams(location.search).get('modal') === 'true';
createRoot(document.querySelector('main')).render(
  <Menu.Root defaultOpen modal={isModal}>
    <Menu.Trigger>Actions</Menu.Trigger>
    <Menu.Portal container={document.querySelector('main')}>
      <Menu.Positioner>
        <Menu.Popup>
          <Menu.Item>Refund</Menu.Item>
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>,
);
JS
npx esbuild page.jsx --bundle --jsx=automatic --format=iife --outfile=page.bundle.js --log-level=error '--define:process.env.NODE_ENV="production"'
cat > run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';

const script = readFileSync('page.bundle.js');
const rules = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const html = '<!doctype html><html lang="en"><title>page</title><body><main><h1>Page</h1></main><script src="/page.js"></script></html>';
const server = createServer((request, response) => {
  const isScript = request.url === '/page.js';
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? script : html);
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const browser = await chromium.launch({ executablePath: process.argv[2], args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
const seen = {};
for (const modal of [true, false]) {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/?modal=${modal}`);
  await page.getByRole('menuitem').waitFor();
  await page.evaluate(rules);
  const { violations } = await page.evaluate('axe.run(document, { runOnly: ["aria-hidden-focus"] })');
  seen[modal ? 'modal' : 'not modal'] = violations.map(({ id, impact, nodes }) => ({ id, impact, isGuard: nodes.every((node) => node.html.includes('focus-guard')) }));
  await page.close();
}
console.log(browser.version(), JSON.stringify(seen));
await browser.close();
server.close();
const broken = [{ id: 'aria-hidden-focus', impact: 'serious', isGuard: true }];
const isAsSeen = JSON.stringify(seen) === JSON.stringify({ modal: [], 'not modal': broken });
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs "$chromium"
