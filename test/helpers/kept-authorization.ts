import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';

/** What an application keeps that uses the official client. */
export class KeptAuthorization implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:41002/callback';
  readonly clientMetadata: OAuthClientMetadata;
  asked: URL | undefined;
  information: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';

  /** @param scope of the request; default: what the challenge of the server names. */
  constructor(scope?: string) {
    this.clientMetadata = {
      client_name: 'Official client',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope === undefined ? {} : { scope }),
    };
  }

  state = () => 'state of the client';
  clientInformation = () => this.information;
  tokens = () => this.kept;
  codeVerifier = () => this.#verifier;
  discoveryState = () => this.#discovered;

  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.information = information;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
}
