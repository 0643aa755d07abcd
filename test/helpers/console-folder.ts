import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { temporaryFolder } from './temporary-folder.ts';
import { writeFiles } from './write-files.ts';

/** A page like the one that the build writes, which says who is signed in and shows HTML in the frame. */
const index = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Console of the tests</title>
<link rel="stylesheet" href="/console/assets/app-1a2b3c.css">
<script type="module" src="/console/assets/app-1a2b3c.js"></script>
</head>
<body><h1>…</h1><iframe title="given" src="/frame" sandbox="allow-scripts"></iframe></body>
</html>
`;

export const consoleScript = `
const headers = { 'service-client': 'console' };
const response = await fetch('/api/me', { headers });
if (response.status === 401) location.assign('/console/sign-in?return=' + encodeURIComponent(location.pathname + location.search));
else document.querySelector('h1').textContent = (await response.json()).user.name;
`;

/** A folder of the console for `consoleFolder`. */
export async function consoleFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const style = 'h1 { color: rgb(1, 2, 3) }';
  await writeFiles(folder, {
    'index.html': index,
    'secret.txt': 'not for browsers',
    'assets/app-1a2b3c.js': consoleScript,
    'assets/app-1a2b3c.css': style,
    'assets/app-1a2b3c.js.map': '{}',
  });
  const scriptFile = path.join(folder, 'assets/app-1a2b3c.js');
  await writeFile(`${scriptFile}.br`, brotliCompressSync(consoleScript));
  await writeFile(`${scriptFile}.gz`, gzipSync(consoleScript));
  return folder;
}
