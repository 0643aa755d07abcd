import { describe, expect, it } from 'vitest';
import { errorEnvelopeSchema } from '#contracts/error-envelope';
import { cloudError } from '#kernel/errors/cloud-error';
import { unwritable } from '#node/files/file-errors';
import { cloudErrorOf, envelopeOf } from '#platform/server/error-mapper';

describe('the error mapper of the local platform', () => {
  it('says what happened and what to do next', () => {
    const { status, body } = envelopeOf(cloudError('REQUEST_CONFLICT', 'Taken.', 'Wait.'));
    expect(status).toBe(409);
    expect(errorEnvelopeSchema.parse(body)).toEqual({
      errors: [
        { name: 'ConflictError', detail: 'Taken.', status: 409, code: 'REQUEST_CONFLICT', nextSteps: ['Wait.'] },
      ],
    });
  });

  it('says nothing of a fault inside', () => {
    const { status, body } = envelopeOf(cloudErrorOf(new TypeError('select secret from tokens')));
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(body.errors[0]).toMatchObject({
      name: 'InternalServerError',
      detail: 'Unexpected error',
      code: 'INTERNAL_BUG',
    });
  });

  it('says that the store cannot be used, and not where it is', () => {
    const away = envelopeOf(cloudError('PLATFORM_STORE_UNAVAILABLE', 'Store /srv/a.sqlite is damaged.', 'Restore it.'));
    expect(away).toMatchObject({
      status: 503,
      body: { errors: [{ detail: 'The platform cannot use its store now.', code: 'PLATFORM_STORE_UNAVAILABLE' }] },
    });
    const disk = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const full = envelopeOf(unwritable('/srv/keys', disk));
    expect(full.body.errors[0]).toMatchObject({ detail: expect.stringContaining('disk of the platform is full') });
    expect(JSON.stringify([away, full])).not.toContain('/srv');
  });

  it('takes a status only from the web framework', () => {
    const foreign = Object.assign(new Error('x'), { statusCode: 400, code: 'OTHER' });
    expect(cloudErrorOf(foreign).code).toBe('INTERNAL_BUG');
    expect(
      cloudErrorOf(Object.assign(new Error('x'), { statusCode: 415, code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' })).code,
    ).toBe('REQUEST_INVALID');
    expect(
      cloudErrorOf(Object.assign(new Error('x'), { statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' })).code,
    ).toBe('REQUEST_TOO_LARGE');
  });
});
