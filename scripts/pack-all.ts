import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { packFacades, packThis } from './pack/pack-facades.ts';

/** Make the tarballs of all packages, in the folder that the first argument names; default: `tarballs`. */
const destination = path.resolve(process.argv[2] ?? 'tarballs');
await mkdir(destination, { recursive: true });
for (const tarball of [await packThis(destination), ...(await packFacades(destination))]) {
  console.log(path.relative('', tarball));
}
