"""Programs of others: dealers, bots and file formats that know nothing of feint."""
