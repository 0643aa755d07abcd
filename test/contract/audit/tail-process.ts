/** A tail in a process of its own, so that a test can kill it: `tail-process.ts FOLDER TO`. It says on stdout that it has begun. */
import { tailLog } from '#flows/audit/tail/tail-audit-log';
import { flowContext } from '../../helpers/flow-context.ts';

const [, , folder = '', to = ''] = process.argv;
console.log('begun');
await tailLog(
  { ...flowContext(folder), variables: process.env },
  {
    folder,
    to,
    state: 'tail.state',
    isAdmin: false,
    isFromStart: true,
    isOnce: false,
    hostname: 'here',
    signal: new AbortController().signal,
  },
);
