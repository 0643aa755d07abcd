import { expect, it } from 'vitest';
import { deviceOf } from '#platform/sessions/device';

const mozilla = 'Mozilla/5.0';
const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

const agents: readonly (readonly [userAgent: string, browser: string | null, system: string | null])[] = [
  [`${mozilla} (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0`, 'Firefox 147', 'Linux'],
  [`${mozilla} (Windows NT 10.0; Win64; x64) ${webKit} Chrome/156.0.0.0 Safari/537.36`, 'Chrome 156', 'Windows'],
  [`${mozilla} (X11; Linux x86_64) ${webKit} HeadlessChrome/156.0.0.0 Safari/537.36`, 'Chrome 156', 'Linux'],
  [`${mozilla} (Windows NT 10.0; Win64; x64) ${webKit} Chrome/156.0 Safari/537.36 Edg/156.0.1`, 'Edge 156', 'Windows'],
  [`${mozilla} (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/156.0 Safari/537.36 OPR/120.0`, 'Opera 120', 'ChromeOS'],
  [
    `${mozilla} (Linux; Android 16; SM-S931B) ${webKit} SamsungBrowser/29.0 Chrome/136.0 Mobile Safari/537.36`,
    ...(['Samsung Internet 29', 'Android'] as const),
  ],
  [
    `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/27.3 Safari/605.1.15`,
    ...(['Safari 27', 'macOS'] as const),
  ],
  [
    `${mozilla} (iPhone; CPU iPhone OS 27_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/27.0 Mobile/15E148 Safari/604.1`,
    ...(['Safari 27', 'iOS'] as const),
  ],
  [`${mozilla} (compatible; Linux)`, null, 'Linux'],
];

it('a device is the browser and the system that the user agent means', () => {
  for (const [userAgent, browser, system] of agents) expect(deviceOf(userAgent)).toEqual({ browser, system });
});

it('a device is unknown where the user agent is missing, cut off or of another program', () => {
  for (const userAgent of [null, '', 'curl/8.16.0', 'Mozilla/5.0 (X', '<b>Firefox</b>']) {
    expect(deviceOf(userAgent)).toBeNull();
  }
});
