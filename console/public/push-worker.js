// Shows what the server pushes, also while no page is open, and opens the console from it.
addEventListener('push', (event) => {
  const { title, body, link } = event.data.json();
  event.waitUntil(
    registration.showNotification(title, { body, icon: '/console/icon-192.png', data: { link }, tag: body }),
  );
});

addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { link } = event.notification.data;
  const open = async () => {
    const [page] = await clients.matchAll({ type: 'window' });
    if (!page) return clients.openWindow(link);
    await page.focus();
    return page.navigate(link);
  };
  event.waitUntil(open());
});
