/** The application that people open in their browser, below the address of the platform. */
export const consolePath = '/console/';

/** `GET …?return=<path of the console>`: sign in, and come back to that path. */
export const consoleSignInPath = '/console/sign-in';

/** `POST`, by the console: sign the browser out. */
export const consoleSignOutPath = '/console/sign-out';

/** `<this>/<environment>/<path>`: the agent of an environment, where the platform reaches it. */
export const agentForwardPath = '/console/agent';

/** What pages read of the API of programs: the same routes and answers as below `/v1`, with the session of the browser. */
export const consoleApiPath = '/console/v1';
