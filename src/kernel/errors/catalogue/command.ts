import type { CatalogueEntry } from '../catalogue-entry.ts';
import { exitCodes } from '../exit-codes.ts';

/** Errors of the command line itself and of the machine it runs on. */
export const commandErrors = {
  USAGE_INVALID: {
    kind: 'user',
    recover: 'none',
    exitCode: exitCodes.usage,
    status: 400,
    cause: 'A flag or an argument is missing, unknown or malformed.',
    fix: 'Run the command with `--help` and call it again.',
  },
  USAGE_UNKNOWN_COMMAND: {
    kind: 'user',
    recover: 'none',
    exitCode: exitCodes.usage,
    status: 400,
    cause: 'There is no command of that name.',
    fix: 'Run `vendor-cloud --help` for the list, or take the suggestion the message makes.',
  },
  INTERRUPTED: {
    kind: 'user',
    recover: 'none',
    exitCode: exitCodes.interrupted,
    status: 499,
    cause: 'Ctrl-C or a termination signal arrived before the command was done.',
    fix: 'Run the command again; what it had begun was undone or can be repeated.',
  },
  MACHINE_PORT_IN_USE: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.machine,
    status: 500,
    cause: 'Another process listens on the port that was asked for by number.',
    fix: 'Stop the process the message names, or ask for another port (0 takes any free one).',
  },
  MACHINE_ADDRESS_UNUSABLE: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.machine,
    status: 500,
    cause:
      'The system does not let a server listen on the address or the port: it is not one of this machine, or is reserved.',
    fix: 'Listen on 127.0.0.1 and on a port above 1023.',
  },
  MACHINE_FILE_NOT_WRITABLE: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.machine,
    status: 500,
    cause: 'The file system refused a write: missing permission, a read-only mount or a full disk.',
    fix: 'Make the folder writable, free space, or work in another folder.',
  },
  MACHINE_FILE_NOT_READABLE: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.machine,
    status: 500,
    cause: 'A file exists but the file system refused to read it.',
    fix: 'Grant read permission on the file the message names.',
  },
  MACHINE_UNSUPPORTED_NODE: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.machine,
    status: 500,
    cause: 'The Node.js that runs the command is older than the package supports.',
    fix: 'Run it with the Node.js version the message names.',
  },
  REGISTRY_FAILED: {
    kind: 'environment',
    recover: 'retry',
    exitCode: exitCodes.platform,
    status: 502,
    cause: 'The registry of packages did not tell the newest version, or the package manager could not install it.',
    fix: 'Check the registry that npm uses, and the network; then try again.',
  },
  INTERNAL_BUG: {
    kind: 'bug',
    recover: 'none',
    exitCode: exitCodes.bug,
    status: 500,
    wireName: 'InternalServerError',
    cause: 'A fault in vendor-cloud.',
    fix: 'Please report it with the output of the command run with `--debug`.',
  },
} as const satisfies Record<string, CatalogueEntry>;
