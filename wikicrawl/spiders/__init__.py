"""WHO ASKS: spiders claim due pages and turn responses into items."""
