import type { CloudErrorInput } from '#kernel/errors/cloud-error';

/** What an error of the server means to whoever runs the agent. */
export type KnownError = Pick<CloudErrorInput, 'message'> & {
  readonly code:
    | 'DATABASE_AUTHENTICATION_FAILED'
    | 'DATABASE_BUSY'
    | 'DATABASE_NATIVE_QUERY_REFUSED'
    | 'DATABASE_NOT_FOUND'
    | 'DATABASE_PERMISSION_DENIED'
    | 'DATABASE_QUERY_FAILED'
    | 'DATABASE_TIMEOUT'
    | 'DATABASE_TLS_FAILED'
    | 'DATABASE_UNREACHABLE';
  readonly nextSteps: readonly [string, ...string[]];
};

/** Why a server refuses a connection that reached it: MySQL and MariaDB have the same reasons, and some numbers of their own. */
export interface LoginError extends KnownError {
  /** The name of the number on its server. The driver knows those of MySQL only, and gives them to MariaDB's numbers too. */
  readonly name: string;
}

const user = 'The database server refused the user';

const locked = {
  code: 'DATABASE_AUTHENTICATION_FAILED',
  message: `${user}: the account is locked.`,
  nextSteps: ['Unlock it with ALTER USER … ACCOUNT UNLOCK, or connect as another user.'],
} as const;
const expired = {
  code: 'DATABASE_AUTHENTICATION_FAILED',
  message: `${user}: the password has expired.`,
  nextSteps: ['Set a new password with ALTER USER … IDENTIFIED BY …, and put it into the connection.'],
} as const;
const blocked = {
  code: 'DATABASE_AUTHENTICATION_FAILED',
  message: `${user}: the account is blocked after too many wrong passwords.`,
  nextSteps: ['Correct the password of the connection.', 'Wait until the block ends, or have the account unblocked.'],
} as const;
export const unknownPlugin = {
  code: 'DATABASE_AUTHENTICATION_FAILED',
  message: `${user}: the account signs in by a method that this driver does not have.`,
  nextSteps: [
    'Let the account sign in by a password: caching_sha2_password on MySQL, mysql_native_password on MariaDB.',
  ],
} as const;
const wrongHost = {
  code: 'DATABASE_AUTHENTICATION_FAILED',
  message: 'The database server takes no connection from this machine.',
  nextSteps: ['Allow the account, or the server, to be reached from here: the host is a part of an account.'],
} as const;

export const loginErrors: Readonly<Record<number, LoginError>> = {
  1044: {
    name: 'ER_DBACCESS_DENIED_ERROR',
    code: 'DATABASE_PERMISSION_DENIED',
    message: 'The user has no right on the database of the connection.',
    nextSteps: ['Grant the user a right on the database, or correct the name of the database.'],
  },
  1129: {
    ...wrongHost,
    name: 'ER_HOST_IS_BLOCKED',
    message: 'The database server has blocked this machine after many failed connections.',
    nextSteps: ['Unblock it with FLUSH HOSTS, and look why connections failed.'],
  },
  1130: { ...wrongHost, name: 'ER_HOST_NOT_PRIVILEGED' },
  1251: { ...unknownPlugin, name: 'ER_NOT_SUPPORTED_AUTH_MODE' },
  1524: { ...unknownPlugin, name: 'ER_PLUGIN_IS_NOT_LOADED' },
  1820: { ...expired, name: 'ER_MUST_CHANGE_PASSWORD' },
  1862: { ...expired, name: 'ER_MUST_CHANGE_PASSWORD_LOGIN' },
  3118: { ...locked, name: 'ER_ACCOUNT_HAS_BEEN_LOCKED' },
  3159: {
    name: 'ER_SECURE_TRANSPORT_REQUIRED',
    code: 'DATABASE_TLS_FAILED',
    message: 'The database server takes encrypted connections only.',
    nextSteps: ['Choose the SSL mode "required" or "verify", or leave it at "preferred".'],
  },
  3955: { ...blocked, name: 'ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK' },
  4150: { ...blocked, name: 'ER_USER_IS_BLOCKED' },
  4151: { ...locked, name: 'ER_ACCOUNT_HAS_BEEN_LOCKED' },
};

/** What the driver says itself when an account signs in by a plug-in that it does not have. */
export const unknownPluginCode = 'AUTH_SWITCH_PLUGIN_ERROR';
