// What stands on the page, by the names a person would use for it.

import type { Locator, Page } from 'playwright-core';

export function partsOf(page: () => Page) {
  return {
    button: (name: string | RegExp) => page().getByRole('button', { name, exact: true }),
    text: (wanted: string | RegExp) => page().getByText(wanted).first(),
    panel: (title: string) =>
      page()
        .locator('.panel', { has: page().getByText(title) })
        .first(),
    rows: (within: Locator) => within.locator('tbody tr'),
    toast: (words: string | RegExp) =>
      page().locator('.toast', { hasText: words }).last().waitFor(),
    // The button of the question that is asked.
    answer: (name: string) =>
      page().getByRole('dialog').getByRole('button', { name, exact: true }).click(),
    field: (label: string) => page().getByLabel(label, { exact: true }),
    link: (name: string | RegExp) => page().getByRole('link', { name }).first(),
    address: (wanted: RegExp) => page().waitForURL(({ hash }) => wanted.test(hash)),
    title: (name: string | RegExp) => page().getByRole('heading', { level: 1, name }).waitFor(),
  };
}
