import { expect, it } from 'vitest';
import { photoAddress, shownAddress } from './shown-address.ts';

it('shows addresses of the machine of the server as the browser reached it', () => {
  const feed = 'http://localhost:3000/api/calendar_feed/secret.ics';
  expect(shownAddress(feed, 'http://192.168.1.20:3000/console/account')).toBe(
    'http://192.168.1.20:3000/api/calendar_feed/secret.ics',
  );
  expect(shownAddress(feed, 'http://localhost:3000/console/account')).toBe(feed);
  expect(shownAddress(feed.replace('localhost', '[::1]'), 'https://garden.example/console/')).toBe(
    'https://garden.example/api/calendar_feed/secret.ics',
  );
});

it('keeps addresses that the operator has chosen, and text that is not an address', () => {
  const chosen = 'https://garden.example/invitation/secret';
  expect(shownAddress(chosen, 'http://192.168.1.20:3000/console/account')).toBe(chosen);
  expect(shownAddress('//localhost', 'http://192.168.1.20:3000/')).toBe('//localhost');
});

it('loads photos from the server of the page', () => {
  expect(photoAddress({ attachment_url: 'http://127.0.0.1:3000/photos/1/abc.jpg' })).toBe('/photos/1/abc.jpg');
  expect(photoAddress({ attachment_url: 'http://localhost/placeholder_farmbot.jpg?text=a' })).toBe(
    '/placeholder_farmbot.jpg?text=a',
  );
  expect(photoAddress({ attachment_url: 'http://localhost/photos/1/abc.jpg' }, 'x320')).toBe(
    '/photos/1/abc.jpg?size=x320',
  );
  expect(photoAddress({ attachment_url: 'http://localhost/placeholder_farmbot.jpg?text=a' }, 'x320')).toBe(
    '/placeholder_farmbot.jpg?text=a&size=x320',
  );
});
