import { describe, expect, it } from 'vitest';
import { metadataDocumentsOf } from '#runtime/surfaces/mcp/oauth/mcp-authorization';

const authorizationServer = (origin: string) =>
  metadataDocumentsOf({ origin, basePath: '' }).get('/.well-known/oauth-authorization-server');

describe('the metadata of the authorization server', () => {
  it('offers clients to be described by a document', () => {
    expect(authorizationServer('https://admin.example.com')).toMatchObject({
      client_id_metadata_document_supported: true,
    });
  });

  it.each(['http://127.0.0.1:3931', 'http://localhost:3931', 'http://[::1]:3931'])(
    'asks clients of %s to register, because that needs no network',
    (origin) => {
      expect(authorizationServer(origin)).toMatchObject({
        client_id_metadata_document_supported: false,
        registration_endpoint: `${origin}/oauth/register`,
      });
    },
  );
});
