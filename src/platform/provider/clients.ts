/** Where browsers come back to from the company's provider: its redirect URI below the public address of the platform. */
export const companyCallbackPath = '/sign-in-company';

/** A page of the platform that people sign in for: a client of its own provider, and where browsers come back to. */
export interface OwnPage {
  readonly clientId: string;
  readonly callbackPath: string;
}

/** The pages on which people set something up. */
export const settingsPage: OwnPage = { clientId: 'platform-settings', callbackPath: '/settings/signed-in' };

/** The page on which people answer their assistants. */
export const assistantsPage: OwnPage = {
  clientId: 'platform-assistants',
  callbackPath: '/settings/assistants/signed-in',
};

/** The application in which people work. */
export const consolePage: OwnPage = { clientId: 'console', callbackPath: '/console/sign-in/done' };

export const ownPages: readonly OwnPage[] = [settingsPage, assistantsPage, consolePage];

/** The agents of an environment are one client. */
export function agentClientId(environmentId: number): string {
  return `agent-of-environment-${environmentId}`;
}
