import { cloudError } from '#kernel/errors/cloud-error';

/** The origin that a public address is, as browsers write it. Throws `PLATFORM_ADDRESS_INVALID` for anything more or else. */
export function parsePublicOrigin(publicUrl: string): string {
  const url = URL.parse(publicUrl);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (isOrigin) return url.origin;
  throw cloudError(
    'PLATFORM_ADDRESS_INVALID',
    'The public address of the platform is not an http or https origin.',
    'Give scheme, host and port alone, such as https://platform.example.com.',
  );
}
