import { describe, expect, it } from 'vitest';
import { schemaDocumentOf, schemaUploadOf, schemaUploadSchema } from '#contracts/schema-upload';
import { schemaCollection, schemaDocument } from '../../helpers/schema-document.ts';

const document = schemaDocument([
  schemaCollection('orders', {
    segments: [{ id: 'orders.Late', name: 'Late' }],
    actions: [
      {
        id: 'orders-0-refund',
        name: 'Refund',
        type: 'single',
        baseUrl: null,
        endpoint: '/service/_actions/orders/0/refund',
        httpMethod: 'POST',
        redirect: null,
        download: false,
        fields: [],
        hooks: { load: false, change: ['changeHook'] },
      },
    ],
  }),
]);

describe('the upload of a schema', () => {
  it('carries actions and segments as relationships, in full under included', () => {
    const upload = schemaUploadOf(document, 'h');
    expect(upload.meta.schemaFileHash).toBe('h');
    expect(upload.data[0]).toMatchObject({
      type: 'collections',
      id: 'orders',
      relationships: {
        actions: { data: [{ type: 'actions', id: 'orders-0-refund' }] },
        segments: { data: [{ type: 'segments', id: 'orders.Late' }] },
      },
    });
    expect(upload.data[0]?.attributes).not.toHaveProperty('actions');
    expect(upload.included.map(({ type, id }) => [type, id])).toEqual([
      ['segments', 'orders.Late'],
      ['actions', 'orders-0-refund'],
    ]);
  });

  it('gives the document back on the other side', () => {
    const received = schemaUploadSchema.parse(JSON.parse(JSON.stringify(schemaUploadOf(document, 'h'))));
    expect(schemaDocumentOf(received)).toEqual(document);
  });
});
